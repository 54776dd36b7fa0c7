import type { OpenAiParameters, ToolCall } from '../../../contract/openai.ts'

interface Message {
  role: string
  tool_call_id?: string
  tool_calls?: readonly ToolCall[] | null
}

/** What is wrong, and where in the body. */
export interface ToolProblem {
  path: (string | number)[]
  msg: string
}

/**
 * Finds what the schema of a request cannot: tools of one name, a choice of a tool that is not there, and results that
 * answer no call, or one twice. A call may be left without a result: not every provider minds.
 */
export function findToolProblem(
  request: Pick<OpenAiParameters, 'tools' | 'tool_choice'> & { messages: readonly Message[] },
): ToolProblem | undefined {
  return findDefinitionProblem(request) ?? findCallProblem(request.messages)
}

function findDefinitionProblem({
  tools,
  tool_choice: choice,
}: Pick<OpenAiParameters, 'tools' | 'tool_choice'>): ToolProblem | undefined {
  const names = new Set<string>()
  for (const [index, { function: defined }] of (tools ?? []).entries()) {
    if (names.has(defined.name)) {
      const path = ['tools', index, 'function', 'name']
      return { path, msg: 'is the name of another tool, too' }
    }
    names.add(defined.name)
  }
  if (choice === 'required' && names.size === 0) {
    return { path: ['tool_choice'], msg: 'needs tools to choose from' }
  }
  if (typeof choice === 'object' && choice !== null && !names.has(choice.function.name)) {
    return { path: ['tool_choice', 'function', 'name'], msg: 'is none of the tools' }
  }
  return undefined
}

function findCallProblem(messages: readonly Message[]): ToolProblem | undefined {
  /** The calls of the last answer that wait for their results. Other answers may use the same ids. */
  let open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) {
        const path = ['messages', index, 'tool_call_id']
        return { path, msg: 'is the id of no call in the answer before it that has no result yet' }
      }
    } else if (message.role === 'assistant') {
      open = new Set()
      for (const [at, { id }] of (message.tool_calls ?? []).entries()) {
        const path = ['messages', index, 'tool_calls', at, 'id']
        if (open.has(id)) return { path, msg: 'is the id of another call, too' }
        open.add(id)
      }
    } else open = new Set()
  }
  return undefined
}
