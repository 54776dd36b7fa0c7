import type { ChargeKind } from '../../../platform/database/generated/enums.ts'

/**
 * A card with a ground of its own, since a bot does not know whether a chat is light or dark. Lengths are in
 * pixels of a phone's chat, where a picture is about as wide as this.
 */
export const LOOK = {
  width: 400,
  edge: 18,
  ground: '#ffffff',
  text: '#1d2733',
  faintText: '#5d6b7a',
  line: '#e4e8ed',
  breakLine: '#9aa7b5',
  fontFamily: 'PT Sans',
  smallSize: 12,
  size: 13.5,
} as const

const GRAIN = 'rgba(255, 255, 255, 0.8)'

/** Colours that all eyes distinguish, and patterns for where there is no colour. */
export const KIND_STYLES: Readonly<Record<ChargeKind, BarStyle>> = {
  answer: { color: '#2f7fc1' },
  retry: { color: '#7a5bb5', decal: dots() },
  summary: { color: '#b0487c', decal: lines(0) },
  video: { color: '#c8501e', decal: lines(Math.PI / 4) },
  image: { color: '#1b8a6b', decal: lines(-Math.PI / 4) },
  sound: { color: '#a87900', decal: lines(Math.PI / 2) },
}

/** How a bar is filled. */
export interface BarStyle {
  color: string
  decal?: object
}

function lines(rotation: number) {
  return {
    symbol: 'rect',
    symbolSize: 1,
    color: GRAIN,
    rotation,
    dashArrayX: [1, 0],
    dashArrayY: [1.2, 3.6],
  }
}

function dots() {
  return {
    symbol: 'circle',
    symbolSize: 0.6,
    color: GRAIN,
    rotation: Math.PI / 4,
    dashArrayX: [
      [3, 3],
      [0, 3, 3, 0],
    ],
    dashArrayY: [3, 0],
  }
}

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
