/** The contrast of two colours such as `#2f6fed`, from 1 to 21, by WCAG 2.2. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Checks whether white is easier to read on a colour than black. */
export function isDark(colour: string): boolean {
  return contrastOf('#ffffff', colour) > contrastOf('#000000', colour)
}

/** Shifts a colour towards black or white, in steps, until it can be read on all the grounds. */
export function readable(colour: string, grounds: readonly string[], contrast: number): string {
  const end = isDark(grounds[0] ?? '#ffffff') ? 255 : 0
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(colour, end, share)
    if (grounds.every((ground) => contrastOf(mixed, ground) >= contrast)) return mixed
  }
  return mix(colour, end, 1)
}

function mix(colour: string, end: number, share: number): string {
  const mixed = channelsOf(colour).map((channel) => Math.round(channel + (end - channel) * share))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const value = channel / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
}
