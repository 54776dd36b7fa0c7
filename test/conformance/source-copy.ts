import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { applyEdit, type Mutation } from './mutations/mutation.ts'

export const ROOT = join(import.meta.dirname, '../..')

/** What the program needs beside its sources; of these none is changed. */
const LINKED = ['build', 'node_modules', 'package.json', 'prisma', 'prisma.config.ts']

/** The program with its sources in another folder, where they can be made wrong. */
export type SourceCopy = Awaited<ReturnType<typeof copySources>>

/** Copies the sources into a folder, and links all else. */
export async function copySources(folder: string) {
  await mkdir(folder, { recursive: true })
  await cp(join(ROOT, 'src'), join(folder, 'src'), { recursive: true })
  for (const name of LINKED) await symlink(join(ROOT, name), join(folder, name))
  return { folder, command: join(folder, 'src/cli/kopeck.ts'), change }

  /** Makes the copy wrong. @returns What makes it right again. */
  async function change({ edits }: Pick<Mutation, 'edits'>): Promise<() => Promise<void>> {
    const files = new Set(edits.map(({ file }) => file))
    for (const edit of edits) {
      const path = join(folder, edit.file)
      await writeFile(path, applyEdit(await readFile(path, 'utf8'), edit))
    }
    return async () => {
      for (const file of files) await cp(join(ROOT, file), join(folder, file))
    }
  }
}
