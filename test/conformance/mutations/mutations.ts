import { CALLBACK_MUTATIONS } from './callbacks.ts'
import { CHAT_MUTATIONS } from './chats.ts'
import { MONEY_MUTATIONS } from './money.ts'
import type { Mutation } from './mutation.ts'
import { REQUEST_MUTATIONS } from './requests.ts'
import { TASK_MUTATIONS } from './tasks.ts'

/** Our service with one fault each. */
export const MUTATIONS: readonly Mutation[] = [
  ...MONEY_MUTATIONS,
  ...CHAT_MUTATIONS,
  ...TASK_MUTATIONS,
  ...CALLBACK_MUTATIONS,
  ...REQUEST_MUTATIONS,
]
