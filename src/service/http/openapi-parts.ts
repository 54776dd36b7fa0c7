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

/** The signed POST that tells of a task's end. */
export const OPENAPI_CALLBACKS = {
  taskEnded: {
    '{$request.header.X-Callback-Url}': {
      post: {
        summary: 'Tell that a task has ended',
        description:
          'Up to three attempts: at once, after 5 s and after 15 s. The signature is the hex of HMAC-SHA256 ' +
          'with the secret of `GET /callback/secret` over the timestamp, a dot and the bytes of the body.',
        security: [],
        parameters: [
          {
            name: 'X-Callback-Timestamp',
            in: 'header',
            required: true,
            schema: { type: 'string', pattern: '^[0-9]+$' },
          },
          {
            name: 'X-Callback-Signature',
            in: 'header',
            required: true,
            schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
          },
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/CallbackNotification' } },
          },
        },
        responses: { '2XX': { description: 'It has arrived.' } },
      },
    },
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
