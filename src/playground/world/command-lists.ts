import type { BotCommand, BotCommandScope } from 'grammy/types'

/** Commands as they were set for one scope and language. */
export interface CommandList {
  scope: BotCommandScope
  /** Empty for people of every language. */
  languageCode: string
  commands: BotCommand[]
}

/** One list per scope and language. None is merged with another. */
export function createCommandLists() {
  const lists = new Map<string, CommandList>()
  return {
    lists: () => [...lists.values()],
    set: (list: CommandList) => lists.set(keyOf(list), list),
    get: (of: Omit<CommandList, 'commands'>) => lists.get(keyOf(of))?.commands ?? [],
    remove: (of: Omit<CommandList, 'commands'>) => lists.delete(keyOf(of)),
  }
}

function keyOf({ scope, languageCode }: Omit<CommandList, 'commands'>): string {
  const chat = 'chat_id' in scope ? scope.chat_id : ''
  const user = 'user_id' in scope ? scope.user_id : ''
  return [scope.type, chat, user, languageCode].join(' ')
}

export type CommandLists = ReturnType<typeof createCommandLists>
