import type { Message } from 'grammy/types'
import { contentOf } from './content-of.ts'
import { describeService } from './describe-service.ts'

/** A message in one line: its words, what it is where it has none, or what happened. */
export function previewOf(message: Message): string {
  return contentOf(message) ?? describeService(message)
}
