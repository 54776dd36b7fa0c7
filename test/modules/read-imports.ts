import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

const SRC = join(import.meta.dirname, '../../src')

/** The imports of each file of `src` from `src`, types included; paths from there. */
export type Imports = ReadonlyMap<string, readonly string[]>

/** Reads every import of every file, `import()` too. What Prisma generates is left out. */
export async function readImports(): Promise<Imports> {
  const names = await readdir(SRC, { recursive: true })
  const files = names.filter((name) => /\.tsx?$/.test(name) && !isGenerated(name)).sort()
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, string[]]> => {
        return [file, importsOf(await readFile(join(SRC, file), 'utf8'), file)]
      }),
    ),
  )
}

/** @returns Paths from `src` of what the text of a file in `src` imports, each once. */
export function importsOf(text: string, file: string): string[] {
  const specifiers = text.matchAll(/^[^/*\n]*?(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/gm)
  const paths = Array.from(specifiers, ([, specifier = '']) =>
    relative('/', join('/', dirname(file), specifier)),
  )
  return [...new Set(paths.filter((path) => !isGenerated(path)))].sort()
}

function isGenerated(path: string): boolean {
  return path.startsWith('platform/database/generated')
}
