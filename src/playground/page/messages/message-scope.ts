import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ChatState } from '../state/chat-state.ts'

/** Which message something is part of. */
export interface MessageScope {
  chat: ChatState
  /** 0 outside of topics. */
  threadId: number
  /** Undefined in a draft, which is no message yet. */
  messageId: number | undefined
}

const Scope = createContext<MessageScope | undefined>(undefined)

/** Tells what is inside which message it is part of. */
export const MessageScopeProvider = Scope.Provider

/** What a word or a button of a message acts on. */
export function useMessageScope(): MessageScope {
  const scope = useContext(Scope)
  if (scope === undefined) throw new Error('Cannot act on a message: this is part of none')
  return scope
}
