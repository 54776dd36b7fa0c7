import { createAccountProgram } from '../account/account-program.ts'
import { runProgram } from '../command-line/run-program.ts'

await runProgram(createAccountProgram)
