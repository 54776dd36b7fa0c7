import { createCallbacksProgram } from '../callbacks/callbacks-program.ts'
import { runProgram } from '../command-line/run-program.ts'

await runProgram(createCallbacksProgram)
