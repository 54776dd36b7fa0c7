import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { ChatState } from '../state/chat-state.ts'

/** The message that something is part of. */
export interface MessageScope {
  chat: ChatState
  /** 0 outside of topics. */
  threadId: number
  /** Undefined in a draft, which is no message yet. */
  messageId: number | undefined
}

const Scope = createContext<MessageScope | undefined>(undefined)

/** Gives its children the message that they are part of. */
export const MessageScopeProvider = Scope.Provider

/** Returns the message that a word or a button acts on. */
export function useMessageScope(): MessageScope {
  const scope = useContext(Scope)
  if (scope === undefined) throw new Error('Cannot act on a message: this is part of none')
  return scope
}
