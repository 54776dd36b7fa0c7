import type { AnswerPiece, ToolCallPiece } from './provider.ts'

/** Joins the pieces of an answer. */
export function joinPieces(pieces: readonly AnswerPiece[]): AnswerPiece {
  const text = pieces.map((piece) => piece.text).join('')
  const reasoning = pieces.map((piece) => piece.reasoning ?? '').join('')
  const refusal = pieces.map((piece) => piece.refusal ?? '').join('')
  const toolCalls = joinCalls(pieces.flatMap((piece) => piece.toolCalls ?? []))
  return {
    text,
    ...(reasoning !== '' && { reasoning }),
    ...(refusal !== '' && { refusal }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
}

export function writtenIn({ text, reasoning = '', toolCalls = [] }: AnswerPiece): string {
  const called = toolCalls.map(({ function: { name = '', arguments: given = '' } }) =>
    [name, given].join(' '),
  )
  return [reasoning, text, ...called].join('')
}

/** Only the first piece of a call has its id and name; later pieces add to its arguments. */
function joinCalls(pieces: readonly ToolCallPiece[]): ToolCallPiece[] {
  const calls = new Map<number, ToolCallPiece>()
  for (const piece of pieces) {
    const call = calls.get(piece.index)
    if (call === undefined) calls.set(piece.index, { ...piece, function: { ...piece.function } })
    else {
      const { name, arguments: given = '' } = piece.function
      const called = call.function
      called.arguments = (called.arguments ?? '') + given
      if (name !== undefined) called.name ||= name
      calls.set(piece.index, { ...piece, ...call })
    }
  }
  return [...calls.values()].toSorted((one, other) => one.index - other.index)
}
