import { resolve } from 'node:path'
import type { Command } from 'commander'
import { findDataDir } from '../../platform/database/data-dir.ts'
import { joinDatabase } from '../../platform/database/embedded/join-database.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { writeJson } from '../command-line/write-output.ts'
import { takeBackup } from './take-backup.ts'

/** `kopeck backup`: the embedded database and the media, while Kopeck runs or not, as one file. */
export function createBackupProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about: `Backs up the embedded database and the media to one file, while Kopeck runs or not.

The file is there once it is whole and was read again. It holds secrets: keep it as you keep them.`,
  })
    .argument('<FILE>', 'what to make; a file that is there is never overwritten')
    .option('--no-media', 'leave out the results of creations')
    .option('--json', 'print one line of JSON')
    .action(async (name: string, { media: withMedia, json }: { media: boolean; json?: true }) => {
      if (env.DATABASE_URL) throw new Error(OWN_SERVER)
      const file = resolve(env.INIT_CWD ?? '', name)
      const signal = abortOnStop()
      const { url, stop } = await joinDatabase(env)
      try {
        const dataDir = findDataDir(env)
        const { bytes, mediaFiles } = await takeBackup({ url, dataDir, file, withMedia, signal })
        if (json) print(writeJson({ file, bytes, media_files: mediaFiles }))
        else print(describe({ file, withMedia, bytes, mediaFiles }))
      } finally {
        await stop()
      }
    })
}

/** Aborts at the first signal to end, so that no half of a backup is left. */
function abortOnStop(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () =>
      stopping.abort(new Error('The backup was broken off: there is none')),
    )
  }
  return stopping.signal
}

const OWN_SERVER =
  'DATABASE_URL names a PostgreSQL of your own: back it up with pg_dump --format=custom --file=FILE "$DATABASE_URL", and copy DATA_DIR/media after that (docs/backup.md)'

function describe({
  file,
  withMedia,
  bytes,
  mediaFiles,
}: {
  file: string
  withMedia: boolean
  bytes: number
  mediaFiles: number
}): string {
  const media = withMedia
    ? `${mediaFiles} media ${mediaFiles === 1 ? 'file' : 'files'}`
    : 'no media: DATA_DIR/media is not part of it'
  const size = (bytes / 1_000_000).toFixed(1)
  return `Backed up to ${file}, and read again: ${size} MB with the database and ${media}.`
}
