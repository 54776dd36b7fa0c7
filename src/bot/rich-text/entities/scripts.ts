const PLAIN = '0123456789+-−=()abcdefghijklmnoprstuvwxyz'
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ'
const RAISED_ALONE = {
  T: 'ᵀ',
  N: 'ᴺ',
  M: 'ᴹ',
  K: 'ᴷ',
  A: 'ᴬ',
  B: 'ᴮ',
  "'": '′',
  '′': '′',
  '°': '°',
  '∘': '°',
}
const LOWERED = '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎'
const LOWERED_ALONE = {
  ...{ a: 'ₐ', e: 'ₑ', h: 'ₕ', i: 'ᵢ', j: 'ⱼ', k: 'ₖ', l: 'ₗ', m: 'ₘ', n: 'ₙ', o: 'ₒ', p: 'ₚ' },
  ...{ r: 'ᵣ', s: 'ₛ', t: 'ₜ', u: 'ᵤ', v: 'ᵥ', x: 'ₓ', β: 'ᵦ', γ: 'ᵧ', ρ: 'ᵨ', φ: 'ᵩ', χ: 'ᵪ' },
}

const RAISED_SIGNS = toMap(RAISED, RAISED_ALONE)
const LOWERED_SIGNS = toMap(LOWERED, LOWERED_ALONE)

/** Writes a text above the line with characters that are so by themselves, or in brackets after a `^`. */
export function raise(text: string): string {
  return write(text, RAISED_SIGNS, '^')
}

/** Writes a text below the line with characters that are so by themselves, or in brackets after a `_`. */
export function lower(text: string): string {
  return write(text, LOWERED_SIGNS, '_')
}

function toMap(signs: string, alone: Readonly<Record<string, string>>): Map<string, string> {
  const paired = [...signs].map((sign, index) => [PLAIN.charAt(index), sign] as const)
  return new Map([...paired, ...Object.entries(alone)])
}

function write(text: string, signs: ReadonlyMap<string, string>, mark: string): string {
  const written = [...text.replaceAll(' ', '')].map((character) => signs.get(character))
  if (written.every((sign) => sign !== undefined)) return written.join('')
  return [...text].length === 1 ? `${mark}${text}` : `${mark}(${text})`
}
