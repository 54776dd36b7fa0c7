import { Command, type CommanderError } from 'commander'

/**
 * Makes a program to which commands are added, under a heading each group of them (`commandsGroup()`), or
 * which is one command itself (`argument()`, `action()`). `runProgram()` runs it.
 */
export function createProgram({ use, about }: { use: string; about: string }): Command {
  return new Command(use)
    .description(about)
    .helpOption('-h, --help', 'say how it is used')
    .helpCommand(false)
    .configureOutput({ outputError: () => {}, writeErr: () => {} })
    .exitOverride((end) => {
      throw end.exitCode === 0 ? end : new Error(`${describeMisuse(end)}: see ${use} --help`)
    })
}

/** Commander describes what is wrong with the arguments in one line, and what may be meant in a second one. */
function describeMisuse({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is missing'
  const [problem = '', ...guesses] = message.replace(/^error: /, '').split('\n')
  const sentence = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`.replace(/\.$/, '')
  return [sentence, ...guesses].join(' ')
}
