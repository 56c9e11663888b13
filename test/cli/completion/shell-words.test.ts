/** How a bash line is read up to the cursor, and how a value is written back into it. */
import { describe, expect, it } from 'vitest'
import { asBashReply, readBashLine } from '../../../src/cli/completion/shell-words.ts'

const BREAKS = ' \t\n"\'@><=;|&(:'
const read = (line: string) => readBashLine(line, BREAKS)
const reply = (line: string, word: string) => asBashReply(word, read(line))

describe('a bash line', () => {
  it('is read as words without quotes, up to the cursor', () => {
    expect(read('svc user get ')).toMatchObject({ words: ['svc', 'user', 'get'], current: '' })
    expect(read(`svc 'a b' "c \\" d" e\\ f g`)).toMatchObject({ words: ['svc', 'a b', 'c " d', 'e f'], current: 'g' })
    expect(read('svc "" x')).toMatchObject({ words: ['svc', ''], current: 'x' })
    expect(read('svc "a\\n')).toMatchObject({ current: 'a\\n', quote: '"' })
  })

  it('keeps the text before the last word break', () => {
    expect(read('svc --user=ad')).toMatchObject({ current: '--user=ad', kept: '--user=' })
    expect(read('svc team:')).toMatchObject({ current: 'team:', kept: 'team:' })
    expect(read('svc team\\:a')).toMatchObject({ current: 'team:a', kept: '' })
    expect(read('svc --user="ada l')).toMatchObject({ current: '--user=ada l', kept: '--user=', quote: '"' })
  })
})

describe('a value', () => {
  it.each([
    ['svc get ', "o'brien $x", "o\\'brien\\ \\$x"],
    ['svc get "', 'a "b" $x `c` \\ !', 'a \\"b\\" \\$x \\`c\\` \\\\ \\!'],
    ["svc get '", "o'brien $x", "o'\\''brien $x"],
    ['svc get ', 'jürgen', 'jürgen'],
    ['svc list --user=', '--user=ada lovelace', 'ada\\ lovelace'],
    ['svc get team:', 'team:a', 'a'],
    ['svc get te', 'team:a', 'team\\:a'],
    ['svc get ', '*?[x]{y};&|<>#', '\\*\\?\\[x\\]\\{y\\}\\;\\&\\|\\<\\>\\#'],
  ])('after `%s` is quoted so that bash reads %s', (line, word, text) => {
    expect(reply(line, word)).toBe(text)
  })
})
