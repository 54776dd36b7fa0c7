/** What tells whether somebody sits in front of this machine. */
export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  /** Of a person, who started the process there. */
  isAtTerminal: boolean
}

/**
 * Opens addresses in the browser of who started the process, where they sit at a desktop: nowhere else is there one.
 * `BROWSER=none` keeps it from that.
 *
 * @returns Opens the first address that it is given: a process that begins anew is the same to its user.
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
