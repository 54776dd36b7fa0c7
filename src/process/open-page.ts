/** The signs that a person sits in front of this machine. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  isAtTerminal: boolean
}

/**
 * Creates the function that opens a page in the browser of the person who started the process, if they sit at a
 * desktop. `BROWSER=none` prevents it.
 *
 * @returns A function that opens the first address it is given and no other: a process that begins again is the same
 *   to its user.
 */
export function createPageOpening(
  surroundings: Surroundings & { open: (address: string) => void },
): (address: string) => void {
  let isOpened = !hasBrowser(surroundings)
  return (address) => {
    if (isOpened) return
    isOpened = true
    surroundings.open(address)
  }
}

function hasBrowser({ env, platform, isAtTerminal }: Surroundings): boolean {
  const isSet = (name: string) => (env[name] ?? '') !== ''
  const hasDesktop = platform !== 'linux' || isSet('DISPLAY') || isSet('WAYLAND_DISPLAY')
  const isElsewhere = isSet('SSH_CONNECTION') || isSet('CI')
  return isAtTerminal && hasDesktop && !isElsewhere && env.BROWSER !== 'none'
}
