import { runProgram } from '../command-line/run-program.ts'
import { createReloadProgram } from '../reload/reload-program.ts'

await runProgram(createReloadProgram)
