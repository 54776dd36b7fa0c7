import { type Static, Type } from 'typebox'

/** States of a task in the order they come; the last two are terminal. */
export const TASK_STATUSES = ['waiting', 'queuing', 'generating', 'success', 'fail'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

/** Answer of every creation endpoint. */
export const TaskCreated = Type.Object({ task_id: Type.Integer() }, { examples: [{ task_id: 42 }] })
export type TaskCreated = Static<typeof TaskCreated>

/** Answer of `GET /task/{task_id}`: links when `success`, an error when `fail`, otherwise both null. */
export const Task = Type.Object(
  {
    status: Type.Enum(TASK_STATUSES),
    result_urls: Type.Union([Type.Array(Type.String()), Type.Null()]),
    error: Type.Union([Type.Object({ code: Type.Integer(), message: Type.String() }), Type.Null()]),
  },
  {
    examples: [
      {
        status: 'success',
        result_urls: ['https://kopeck.example/files/clip.mp4'],
        error: null,
      },
    ],
  },
)
export type Task = Static<typeof Task>
