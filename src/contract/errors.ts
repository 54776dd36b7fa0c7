import { type Static, Type } from 'typebox'

/** Body of every refusal that is not about single fields (interface document, Errors). */
export const ErrorBody = Type.Object({ detail: Type.String() })
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
