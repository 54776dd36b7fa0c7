import type { Command } from 'commander'
import { playDemo } from '../demo.ts'
import { createProgram } from './command-line/create-program.ts'
import type { CommandDeps } from './command-line/run-program.ts'

/** `kopeck demo`: one conversation and one clip on a database that is gone afterwards. */
export function createDemoProgram({ use, env }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Plays one conversation and one clip through the whole program, prints what the user sees as it happens, and keeps ' +
      'the clip in DATA_DIR. Its database is gone afterwards.',
  }).action(() => playDemo(env.DATA_DIR || './data'))
}
