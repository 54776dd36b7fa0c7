import type { math } from 'micromark-extension-math'

// What an extension of the parser consists of, by the names of micromark's own types.
export type Extension = ReturnType<typeof math>
type Text = NonNullable<Extension['text']>
export type Construct = Exclude<NonNullable<Text[string]>, readonly unknown[]>
export type Tokenizer = Construct['tokenize']
export type State = ReturnType<Tokenizer>
export type Code = Parameters<NonNullable<State>>[0]
export type Context = ThisParameterType<Tokenizer>

/** Line ends are negative codes below those of tabs. */
export function isLineEnd(code: Code): boolean {
  return code !== null && code < -2
}

export function isSpace(code: Code): boolean {
  return code === 32 || code === -1 || code === -2
}
