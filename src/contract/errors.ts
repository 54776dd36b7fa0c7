import { type Static, Type } from 'typebox'

/** The code of a 503 that is no weather: the model is answered for by nobody until its operator mends something. */
export const MODEL_MISCONFIGURED = 'model_misconfigured'
/** The code of a 502 for messages that are longer than the model can read. */
export const CONTEXT_LENGTH_EXCEEDED = 'context_length_exceeded'
export type RefusalCode = typeof MODEL_MISCONFIGURED | typeof CONTEXT_LENGTH_EXCEEDED

/**
 * Body of every refusal that is not about single fields (interface document, Errors). The document has `detail` alone:
 * a client that does not know `code` goes by the status.
 */
export const ErrorBody = Type.Object({
  detail: Type.String(),
  code: Type.Optional(Type.Enum([MODEL_MISCONFIGURED, CONTEXT_LENGTH_EXCEEDED])),
})
export type ErrorBody = Static<typeof ErrorBody>

/** One field that was refused: where it stands, outermost name first, and what it should be. */
export const FieldProblem = Type.Object({
  loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  msg: Type.String(),
})
export type FieldProblem = Static<typeof FieldProblem>

/** Body of a 422 on a creation endpoint (interface document, Errors, Video endpoint). */
export const FieldErrorBody = Type.Object({ detail: Type.Array(FieldProblem) })
export type FieldErrorBody = Static<typeof FieldErrorBody>
