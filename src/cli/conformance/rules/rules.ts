import type { Rule } from '../rule.ts'
import { AUTHENTICATION_RULES } from './authentication.ts'
import { ALL_BODIES_RULES, BODY_RULES } from './bodies.ts'
import { CALLBACK_RULES } from './callback.ts'
import { CALLBACK_URL_RULES } from './callback-url.ts'
import { CHAT_ERROR_RULES, CHAT_REQUEST_RULES } from './chat-request.ts'
import { CHAT_RESPONSE_RULES } from './chat-response.ts'
import { CHAT_STREAM_RULES } from './chat-stream.ts'
import { FAILED_TASK_RULES } from './failed-task.ts'
import { LIMIT_RULES } from './limits.ts'
import { PROVOKED_CHAT_RULES } from './provoked-chat.ts'
import { READING_RULES } from './reading.ts'
import { TASK_RULES } from './task.ts'
import { VIDEO_REQUEST_RULES } from './video-request.ts'

/** Every rule, in the order in which they begin: those that wait longest first. */
export const RULES: readonly Rule[] = [
  ...TASK_RULES,
  ...CALLBACK_RULES,
  ...LIMIT_RULES,
  ...BODY_RULES,
  ...AUTHENTICATION_RULES,
  ...READING_RULES,
  ...CHAT_REQUEST_RULES,
  ...VIDEO_REQUEST_RULES,
  ...CALLBACK_URL_RULES,
  ...CHAT_RESPONSE_RULES,
  ...CHAT_STREAM_RULES,
  ...PROVOKED_CHAT_RULES,
  ...FAILED_TASK_RULES,
  ...CHAT_ERROR_RULES,
  ...ALL_BODIES_RULES,
]
