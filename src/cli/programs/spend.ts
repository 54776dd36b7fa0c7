import { runProgram } from '../command-line/run-program.ts'
import { createSpendProgram } from '../spend/spend-program.ts'

await runProgram(createSpendProgram)
