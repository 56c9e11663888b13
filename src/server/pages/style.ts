/** The stylesheet of all hosted pages, and the path at which browsers may cache it permanently. */
import { createHash } from 'node:crypto'

export const STYLE = `:root{color-scheme:light dark;--page:#f4f6f9;--card:#fff;--ink:#17212d;--soft:#526072;--line:#c3ccd8;--accent:#1554b8;--on-accent:#fff;--bad:#a81e17;--bad-page:#fdeeec;--good:#17633a}
@media (prefers-color-scheme:dark){:root{--page:#10151b;--card:#19202a;--ink:#e9edf2;--soft:#aab6c5;--line:#445061;--accent:#8db7ff;--on-accent:#0b1930;--bad:#ffb3aa;--bad-page:#3a1613;--good:#86d9a8}}
*{box-sizing:border-box}
html{font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;background:var(--page);color:var(--ink)}
body{margin:0;padding:1.5rem 1rem 3rem}
.sheet{max-width:30rem;margin:0 auto}
header p{margin:0 0 .75rem;color:var(--soft);font-size:.875rem}
main>:last-child,form:last-child>:last-child{margin-bottom:0}
main{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem 1.25rem}
footer{margin:1rem .25rem 0;color:var(--soft);font-size:.875rem}
footer p{margin:0}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
h2{margin:0 0 .25rem;font-size:1rem}
p{margin:0 0 1rem;overflow-wrap:anywhere}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.choices{list-style:none;margin:1rem 0;padding:0;border-top:1px solid var(--line)}
.choices li{border-bottom:1px solid var(--line)}
.choices a{display:flex;gap:.875rem;align-items:center;padding:.75rem .25rem;color:inherit;text-decoration:none}
.choices a:hover strong{text-decoration:underline}
.choices span.about{min-width:0;overflow-wrap:anywhere}
.choices small{display:block;color:var(--soft);font-size:.875rem}
.mark{flex:none;display:grid;place-items:center;width:2.25rem;height:2.25rem;border-radius:.5rem;background:var(--page);border:1px solid var(--line);font-weight:600}
.field{margin:0 0 1rem}
.field label,legend{display:block;padding:0;font-weight:600;margin-bottom:.25rem}
.field small,.scope small{display:block;color:var(--soft);font-size:.875rem}
input:not([type=checkbox]),select{width:100%;font:inherit;color:inherit;background:var(--card);border:1px solid var(--soft);border-radius:.5rem;padding:.625rem .75rem;min-height:2.75rem}
[aria-invalid=true]{border:2px solid var(--bad)!important}
.wrong{margin:0 0 .25rem;color:var(--bad);font-weight:600}
fieldset{border:0;margin:0 0 1rem;padding:0;min-width:0}
.scope{display:flex;gap:.75rem;align-items:flex-start;padding:.625rem 0;border-top:1px solid var(--line)}
.scope input{flex:none;width:1.25rem;height:1.25rem;margin:.15rem 0 0;accent-color:var(--accent)}
.scope label{font-weight:400;min-width:0;overflow-wrap:anywhere}
.tag{font-size:.8125rem;font-weight:600;color:var(--soft)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.25rem 0 1rem}
button,.button{font:inherit;font-weight:600;border-radius:.5rem;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);padding:.625rem 1.125rem;min-height:2.75rem;cursor:pointer;text-decoration:none;display:inline-block}
button.plain{background:transparent;color:var(--accent)}
.problem{border:2px solid var(--bad);background:var(--bad-page);border-radius:.5rem;padding:.875rem 1rem;margin:0 0 1.25rem}
.problem p,.problem ul{margin:.25rem 0 0}
.problem a{color:var(--bad)}
.done{color:var(--good)}
code{font-size:.875em;overflow-wrap:anywhere}
details{margin:0 0 1rem}
summary{cursor:pointer;color:var(--soft)}
`

/** Path of the stylesheet. The file name is derived from the content, so that a browser never uses an outdated version. */
export const STYLE_PATH = `/link/style-${createHash('sha256').update(STYLE).digest('hex').slice(0, 12)}.css`
