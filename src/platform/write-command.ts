import { extname } from 'node:path'

/** A clone is TypeScript, and has a script of npm for each subcommand; the package is JavaScript and has `kopeck`. */
const isClone = extname(import.meta.url) === '.ts'

/**
 * Writes what a person types here to run a subcommand of `kopeck`, such as `npm run account -- list`, or
 * `npx kopeck account list` where npx has started this process.
 */
export function writeCommand(name: string, ...args: readonly string[]): string {
  if (isClone) {
    const script = name === 'start' ? 'npm start' : `npm run ${name}`
    return [script, ...(args.length === 0 ? [] : ['--', ...args])].join(' ')
  }
  const kopeck = process.env.npm_lifecycle_event === 'npx' ? 'npx kopeck' : 'kopeck'
  return [kopeck, name, ...args].join(' ')
}
