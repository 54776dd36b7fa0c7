import { extname } from 'node:path'

/**
 * Finds a program that lies beside a module, for a process or a thread of its own: TypeScript in a clone, JavaScript in
 * the package.
 *
 * @param name Its file below the module's folder, without an extension.
 * @param moduleUrl The `import.meta.url` of the module.
 */
export function programUrl(name: string, moduleUrl: string): URL {
  return new URL(`${name}${extname(moduleUrl)}`, moduleUrl)
}
