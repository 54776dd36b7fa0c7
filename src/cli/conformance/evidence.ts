import { AsyncLocalStorage } from 'node:async_hooks'
import type { WireAnswer } from './answer.ts'

const looking = new AsyncLocalStorage<Set<WireAnswer>>()

/** Does work, and gathers the answers by which its outcome came about: its own, and those of scenes that it looks at. */
export async function gatherEvidence<T>(
  work: () => Promise<T>,
): Promise<{ outcome: T; answers: WireAnswer[] }> {
  const answers = new Set<WireAnswer>()
  const outcome = await looking.run(answers, work)
  return { outcome, answers: [...answers] }
}

/** Counts an answer among the evidence of the work that asked. */
export function addEvidence(answer: WireAnswer): void {
  looking.getStore()?.add(answer)
}

/**
 * Makes a function that does its work the first time, and has the same outcome ever after. Whoever asks for it has the
 * answers of that work among the evidence.
 */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  const answers = new Set<WireAnswer>()
  let outcome: Promise<T> | undefined
  return async () => {
    outcome ??= looking.run(answers, work)
    try {
      return await outcome
    } finally {
      for (const answer of answers) addEvidence(answer)
    }
  }
}
