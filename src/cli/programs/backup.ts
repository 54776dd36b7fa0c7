import { createBackupProgram } from '../backup/backup-program.ts'
import { runProgram } from '../command-line/run-program.ts'

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stopping.abort(new Error('The backup was broken off: there is none')))
}
await runProgram((deps) => createBackupProgram({ ...deps, signal: stopping.signal }))
