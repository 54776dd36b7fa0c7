/** Widths of PT Sans in parts of the size, by kinds of letters; the rest is like most small letters. */
const WIDTHS: readonly (readonly [letters: RegExp, width: number])[] = [
  [/[ijlIтr.,:;'’!|()\u00a0 ]/, 0.3],
  [/[ЖМШЩЮФЫмшщжюфыmwMW@%—…₽]/, 0.86],
  [/[A-ZА-ЯЁ&]/, 0.64],
]

/**
 * About how wide a text is: without a browser ECharts takes every Cyrillic letter for a square.
 *
 * @param font As in CSS: "bold 12px PT Sans".
 */
export function textWidth(text: string, font: string): number {
  const size = Number(/([\d.]+)px/.exec(font)?.[1] ?? 12)
  const widths = Array.from(text, (letter) => WIDTHS.find(([of]) => of.test(letter))?.[1] ?? 0.53)
  return size * widths.reduce((total, width) => total + width, 0)
}
