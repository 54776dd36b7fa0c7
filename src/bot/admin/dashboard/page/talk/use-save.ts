import { useState } from 'preact/hooks'
import { type HttpMethod, type Problem, toProblem } from './request.ts'
import { sendSigned } from './session.ts'
import { readAllAgain } from './use-read.ts'

/** How a change stands. */
export interface Save {
  isSaving: boolean
  /** The last one was stored; until the next begins. */
  isSaved: boolean
  problem: Problem | undefined
  /** Resolves with whether it was stored. A second call while one is under way does nothing. */
  save(method: HttpMethod, path: string, body?: unknown): Promise<boolean>
  clear(): void
}

/** Sends changes, one at a time, and has what is shown read again after each. */
export function useSave(): Save {
  const [state, setState] = useState<Omit<Save, 'save' | 'clear'>>(AT_REST)
  return { ...state, save, clear: () => setState(AT_REST) }

  async function save(method: HttpMethod, path: string, body?: unknown): Promise<boolean> {
    if (state.isSaving) return false
    setState({ ...AT_REST, isSaving: true })
    try {
      await sendSigned(path, { method, body })
      setState({ ...AT_REST, isSaved: true })
      readAllAgain()
      return true
    } catch (error) {
      setState({ ...AT_REST, problem: toProblem(error) })
      return false
    }
  }
}

const AT_REST = { isSaving: false, isSaved: false, problem: undefined }
