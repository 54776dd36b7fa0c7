import { createRestoreProgram } from '../backup/restore-program.ts'
import { runProgram } from '../command-line/run-program.ts'

await runProgram(createRestoreProgram)
