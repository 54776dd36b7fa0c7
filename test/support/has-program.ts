import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Checks if a program of the system is there. Tests that need one skip themselves without; `.ci/run` installs it. */
export function hasProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
