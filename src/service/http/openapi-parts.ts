/** The parts of the OpenAPI document that operations refer to by name. */
export const OPENAPI_SECURITY = {
  apiKey: { type: 'http', scheme: 'bearer', description: 'The API key of an account.' },
}

export const OPENAPI_HEADERS = {
  RequestId: {
    description:
      'Names the request in the log of the service; what the caller sent, if it sent one.',
    schema: { type: 'string', maxLength: 64 },
  },
  RetryAfter: {
    description: 'Seconds until the next request is let through.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  AcceptIdempotencyKey: {
    description: 'Says that creations honour an `Idempotency-Key`.',
    schema: { type: 'string', const: 'creation' },
  },
}

export const OPENAPI_PARAMETERS = {
  TaskId: {
    name: 'task_id',
    in: 'path',
    required: true,
    description: 'What the creation answered.',
    schema: { type: 'integer', minimum: 1 },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A repeat with the same key gets the first task and is not charged again.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  CallbackUrl: {
    name: 'X-Callback-Url',
    in: 'header',
    description:
      'Where a signed POST tells of the end of the task: a public address, http or https. Videos have none: ask for the task.',
    schema: { type: 'string', format: 'uri', maxLength: 500 },
  },
}
