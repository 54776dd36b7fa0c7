import { resolve } from 'node:path'
import type { Command } from 'commander'
import { findDataDir, findRootDir } from '../../platform/database/data-dir.ts'
import { writeCommand } from '../../platform/write-command.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { restoreBackup } from './restore-backup.ts'

/** `kopeck restore`: a new DATA_DIR from a backup. */
export function createRestoreProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about: `Restores a backup into a DATA_DIR that is empty or new. Nothing is overwritten.

What the backup was taken of goes on from there as if its power had been cut at that moment: let no
two of them run at once (docs/backup.md).`,
  })
    .argument('<FILE>', 'what kopeck backup made')
    .action(async (name: string) => {
      if (env.DATABASE_URL) throw new Error(OWN_SERVER)
      const dataDir = findDataDir(env)
      const backup = await restoreBackup(resolve(env.INIT_CWD ?? '', name), dataDir)
      print(
        `Restored into ${dataDir} what Kopeck ${backup.kopeck} backed up. To start on it: DATA_DIR=${findRootDir(env)} ${writeCommand('start')}`,
      )
    })
}

const OWN_SERVER =
  'DATABASE_URL names a PostgreSQL of your own: make an empty database there and fill it with pg_restore --dbname="$DATABASE_URL" FILE, or unset it to restore an embedded one (docs/backup.md)'
