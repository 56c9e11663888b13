/**
 * The completion scripts. They are short, because `svc complete SHELL =CURRENT WORD…` prints the possible words at the cursor. The first
 * line is what the shell completes itself (`files`, `folders`, or `values` for nothing); each other line is a value and, after a tab, its
 * description. The current word follows an equals sign, because Windows PowerShell drops empty arguments.
 */

export const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof SHELLS)[number]

/** Returns whether a text is a shell name. */
export function isShell(text: string | undefined): text is Shell {
  return SHELLS.some(shell => shell === text)
}

/** The bash script passes the whole line, because bash splits words at `=` and `:` and keeps their quotes. The values come back quoted. */
const BASH = `# bash completion for svc. Load it with: source <(svc completion bash)
_svc() {
  local program=\${COMP_WORDS[0]/#\\~\\//$HOME/} kind line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("$program" complete bash "=\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2> /dev/null < /dev/null)
  local word=\${COMP_WORDS[COMP_CWORD]}
  if [[ $kind == files && \${#COMPREPLY[@]} -gt 0 ]]; then
    compopt -o filenames 2> /dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$word")
  elif [[ $kind == files ]]; then
    compopt -o default 2> /dev/null
  elif [[ $kind == folders ]]; then
    compopt -o dirnames 2> /dev/null
  fi
}
complete -o nosort -F _svc svc 2> /dev/null || complete -F _svc svc
`

const ZSH = `#compdef svc
# zsh completion for svc. Load it with: source <(svc completion zsh)
# or save it as _svc in a folder of $fpath.
_svc() {
  local -a lines values
  local line
  lines=("\${(@f)$("\${(Q)words[1]/#\\~\\//$HOME/}" complete zsh "=\${(Q)PREFIX}" "\${(@Q)words[2,CURRENT-1]}" 2> /dev/null < /dev/null)}")
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${\${\${line%%$'\\t'*}//\\\\/\\\\\\\\}//:/\\\\:}\${\${(M)line:#*$'\\t'*}:+:\${line#*$'\\t'}}")
  done
  (( \${#values} )) && _describe -V svc values
  case \${lines[1]} in
    files | folders)
      [[ $PREFIX == --*=* ]] && compset -P 1 '*='
      if [[ \${lines[1]} == files ]]; then _files; else _files -/; fi
      ;;
  esac
}
if [[ \${funcstack[1]} == _svc ]]; then _svc "$@"; else (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }; compdef _svc svc; fi
`

const FISH = `# fish completion for svc. Load it with: svc completion fish | source
function __svc_complete
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l typed (commandline -ct)
  set -l current (string unescape -- $typed 2> /dev/null)
  # an open quote cannot be unescaped
  test -z "$current"; and set current (string replace -r '^["\\']' '' -- $typed)
  set -l lines ($program complete fish "=$current" $words 2> /dev/null < /dev/null)
  switch "$lines[1]"
    case files
      __fish_complete_path $typed
    case folders
      __fish_complete_directories $typed
  end
  set -e lines[1]
  string join \\n -- $lines
end
complete -c svc -f -k -a '(__svc_complete)'
`

const POWERSHELL = `# PowerShell completion for svc. Load it with: svc completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
    ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
  $current = $wordToComplete -replace '^["'']|["'']$', ''
  $program = $commandAst.CommandElements[0].Extent.Text
  $lines = @(& $program complete powershell "=$current" @words 2>$null)
  if ($lines.Count -eq 0) { return }
  foreach ($line in $lines | Select-Object -Skip 1) {
    $value, $description = $line -split "\`t", 2
    $text = if ($value -match '^[\\w./:=+-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
    if (-not $description) { $description = $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
  }
  if ($lines[0] -eq 'files' -or $lines[0] -eq 'folders') {
    [System.Management.Automation.CompletionCompleters]::CompleteFilename($current)
  }
}
`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL }

/** Returns the script that teaches a shell to complete svc. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell]
}
