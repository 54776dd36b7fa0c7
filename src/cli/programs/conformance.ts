import { runProgram } from '../command-line/run-program.ts'
import { createConformanceProgram } from '../conformance/conformance-program.ts'

await runProgram(createConformanceProgram)
