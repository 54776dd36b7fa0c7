import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An upstream with OpenAI's API as one of the well-known ones has it: its list, its refusals, its streams. */
export interface Flavour {
  key?: string
  root: string
  list: unknown
  unauthorized?: unknown
  outputLimit?: { takes: string; refuses: string; refusal: unknown }
  answer?: (question: string) => string
}

/** @see https://platform.openai.com/docs/api-reference/models/list */
export const OPENAI: Flavour = {
  key: 'sk-proj-local',
  root: '/v1',
  list: {
    object: 'list',
    data: ['gpt-5-mini', 'text-embedding-3-small', 'gpt-4.1', 'whisper-1', 'gpt-image-1'].map(
      (id) => ({ id, object: 'model', created: 1_754_425_777, owned_by: 'system' }),
    ),
  },
  unauthorized: {
    error: {
      message: 'Incorrect API key provided: sk-wrong. You can find your API key in your account.',
      type: 'invalid_request_error',
      param: null,
      code: 'invalid_api_key',
    },
  },
  outputLimit: {
    takes: 'max_completion_tokens',
    refuses: 'max_tokens',
    refusal: {
      error: {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        type: 'invalid_request_error',
        param: 'max_tokens',
        code: 'unsupported_parameter',
      },
    },
  },
}

/** @see https://openrouter.ai/docs/api-reference/list-available-models */
export const OPENROUTER: Flavour = {
  key: 'sk-or-v1-local',
  root: '/api/v1',
  list: {
    data: [
      toOpenRouter('openrouter/auto', '-1', '-1', 2_000_000, ['text']),
      toOpenRouter('google/gemini-2.5-flash-image', '0.0000003', '0.0000025', 32_768, [
        'image',
        'text',
      ]),
      toOpenRouter('deepseek/deepseek-v3.2', '0.00000028', '0.00000042', 163_840, ['text']),
      toOpenRouter('openai/gpt-5-mini', '0.00000025', '0.000002', 400_000, ['text']),
      toOpenRouter('z-ai/glm-4.5-air:free', '0', '0', 131_072, ['text']),
    ],
  },
  unauthorized: { error: { message: 'No auth credentials found', code: 401 } },
}

/** @see https://github.com/ollama/ollama/blob/main/docs/openai.md */
export const OLLAMA: Flavour = {
  root: '/v1',
  list: {
    object: 'list',
    data: ['llama3.2:latest', 'nomic-embed-text:latest'].map((id) => ({
      id,
      object: 'model',
      created: 1_730_000_000,
      owned_by: 'library',
    })),
  },
}

function toOpenRouter(
  id: string,
  prompt: string,
  completion: string,
  context_length: number,
  output_modalities: string[],
) {
  return {
    id,
    canonical_slug: id,
    name: id,
    created: 1_754_425_777,
    context_length,
    architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities },
    pricing: { prompt, completion, request: '0', image: '0' },
    supported_parameters: ['max_tokens', 'temperature'],
  }
}

/** Starts an upstream of that flavour on loopback. It answers with 500 tokens, whatever it says. */
export async function startUpstream(flavour: Flavour, port = 0) {
  const asked: { model: string; authorization: string | undefined }[] = []
  const server = createServer(async (incoming, response) => {
    const body = await readBody(incoming)
    const { key, root, list, unauthorized } = flavour
    if (incoming.url === '/' && incoming.method === 'GET') return answer(response, 200, 'Running')
    if (key !== undefined && incoming.headers.authorization !== `Bearer ${key}`) {
      return answer(response, 401, unauthorized)
    }
    if (incoming.url === `${root}/models`) return answer(response, 200, list)
    if (incoming.url !== `${root}/chat/completions`) {
      return answer(response, 404, { error: { message: `no such path` } })
    }
    const request = JSON.parse(body)
    if (flavour.outputLimit !== undefined && flavour.outputLimit.refuses in request) {
      return answer(response, 400, flavour.outputLimit.refusal)
    }
    asked.push({ model: request.model, authorization: incoming.headers.authorization })
    const question = request.messages.at(-1).content
    stream(response, request.model, flavour.answer?.(question) ?? '4 kopecks, that is.')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: bound } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${bound}`,
    baseUrl: `http://127.0.0.1:${bound}${flavour.root}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part)
  return Buffer.concat(parts).toString()
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' })
  response.end(isText ? body : JSON.stringify(body))
}

function stream(response: ServerResponse, model: string, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = (more: object) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model, ...more })}\n\n`,
    )
  const choice = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  })
  chunk(choice({ role: 'assistant', content: '' }))
  const middle = Math.ceil(text.length / 2)
  for (const content of [text.slice(0, middle), text.slice(middle)]) chunk(choice({ content }))
  chunk(choice({}, 'stop'))
  chunk({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 } })
  response.end('data: [DONE]\n\n')
}
