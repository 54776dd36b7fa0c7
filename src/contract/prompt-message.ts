import type { ChatMessage } from './chat.ts'
import type { ToolCall } from './openai/tools.ts'

/** A message as a model reads it. Only OpenAI's clients can say who of several speaks, and have tools. */
export type PromptMessage =
  | (ChatMessage & { name?: string })
  | {
      role: 'assistant'
      content: string | null
      tool_calls: ToolCall[]
      reasoning_content?: string
      name?: string
    }
  | { role: 'tool'; content: string; tool_call_id: string; name?: never }
