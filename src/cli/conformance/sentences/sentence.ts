/** A sentence of the interface document, in our words, and how it shows from outside. */
export type Sentence =
  | { says: string /** The rules that judge it. */; rules: readonly string[] }
  | { says: string /** Why no rule can. */; unseen: string }

/** The sentences of a section of the document. */
export interface Section {
  title: string
  sentences: readonly Sentence[]
}

/** A sentence that rules judge. */
export const seen = (says: string, ...rules: string[]): Sentence => ({ says, rules })

/** A sentence that cannot be judged from outside. */
export const unseen = (says: string, why: string): Sentence => ({ says, unseen: why })

/** Something that the document does not show: no service can break it. */
export const open = (says: string): Sentence => unseen(says, 'left open: nothing to break')
