import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const ROOM = new URL('../../src/cli/', import.meta.url).href

test.each([
  [['none'], "Unknown command 'none'"],
  [['prnt'], "Unknown command 'prnt' (Did you mean print?)"],
  [['print', '--al'], "Unknown option '--al' (Did you mean --all?)"],
  [['print', 'more'], "Too many arguments for 'print'. Expected 0 arguments but got 1"],
  [[], 'A command is missing'],
])('arguments %j are refused with a sentence that says where to look', async (args, sentence) => {
  const { printed, errors, code } = await run(args)

  expect(errors).toBe(`${sentence}: see kopeck it --help\n`)
  expect([printed, code]).toEqual(['', 2])
})

test('an error of a command is its first line, and one without words names the database', async () => {
  const outcome = await run(['throw', 'No such thing\nat a place'])
  const silent = await run(['throw', ''])

  expect(outcome).toEqual({ printed: '', errors: 'No such thing\n', code: 2 })
  expect(silent.errors).toBe('The database cannot be reached\n')
})

test('help lists the commands of each group in a table', async () => {
  const { printed, code } = await run(['--help'])

  expect(code).toBe(0)
  expect(printed).toMatch(
    /^First:\n {2}print \[options\] +print lines\n\nSecond:\n {2}throw <WORDS> +fail$/m,
  )
})

test('a reader that leaves early is no error', async () => {
  const child = start(['print', '--all'])
  child.stdout.once('data', () => child.stdout.destroy())

  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])

  expect([errors, code]).toEqual(['', 0])
})

async function run(args: string[]) {
  const child = start(args)
  const [printed, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { printed, errors, code }
}

function start(args: string[]) {
  const script = `
    import { createProgram, runProgram } from '${ROOM}program.ts'
    await runProgram(({ use, print }) => {
      const program = createProgram({ use, about: 'Does it.' })
      program.commandsGroup('First:')
      program.command('print').description('print lines').option('--all').action(async () => {
        for (let line = 0; line < 10_000; line++) print('line '.repeat(100))
      })
      program.commandsGroup('Second:')
      program.command('throw').argument('<WORDS>').description('fail').action((words) => { throw new Error(words) })
      return program
    }, { use: 'kopeck it', args: process.argv.slice(1) })`
  return spawn(process.execPath, [
    '--input-type=module-typescript',
    '--eval',
    script,
    '--',
    ...args,
  ])
}
