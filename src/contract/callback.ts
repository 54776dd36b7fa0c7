import { type Static, Type } from 'typebox'

/** Answer of `GET /callback/secret`: the account's permanent secret for checking callback signatures. */
export const CallbackSecret = Type.Object(
  { secret: Type.String() },
  { examples: [{ secret: '5f0c…' }] },
)
export type CallbackSecret = Static<typeof CallbackSecret>

/** Body of the signed POST that reports a task's end (interface document, Callback notification body). */
export const CallbackNotification = Type.Object({
  task_id: Type.Integer(),
  status: Type.Enum(['success', 'fail']),
  /** 200, or the code of the task's error. */
  code: Type.Integer(),
  result_urls: Type.Union([Type.Array(Type.String()), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
  model: Type.String(),
  /** Unix seconds. */
  timestamp: Type.Integer(),
})
export type CallbackNotification = Static<typeof CallbackNotification>
