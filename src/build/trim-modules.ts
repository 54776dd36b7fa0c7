import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CLONE_DIR, isLoadedOfPrisma, PRISMA_RUNTIME, readModules } from './modules.ts'

/** Types and source maps serve a build. */
const OF_BUILDS = /\.(?:map|d\.[cm]?ts)$/

/** Removes what nothing needs any more once an installation for production has been built: two thirds of its bytes. */
export async function trimModules(): Promise<void> {
  const { all, loaded } = await readModules()
  const rest = all.filter((path) => !loaded.has(path) && !isAround(path))
  for (const path of rest) await rm(join(CLONE_DIR, path), { recursive: true, force: true })
  await removeFiles(PRISMA_RUNTIME, (name) => !isLoadedOfPrisma(name))
  for (const path of loaded) {
    if (/\/node-(?:bin-)?(?:linux|darwin)-/.test(path)) {
      await rm(join(CLONE_DIR, path, 'include'), { recursive: true, force: true })
    }
  }
  await removeFiles('node_modules', (name) => OF_BUILDS.test(name))

  function isAround(path: string): boolean {
    return loaded.values().some((each) => each.startsWith(`${path}/`))
  }
}

async function removeFiles(folder: string, isUnneeded: (name: string) => boolean): Promise<void> {
  const entries = await readdir(join(CLONE_DIR, folder), { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (entry.isFile() && isUnneeded(entry.name)) await rm(join(entry.parentPath, entry.name))
  }
}
