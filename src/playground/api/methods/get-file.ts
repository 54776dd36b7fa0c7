import type { MethodAnswer } from '../../wire/envelope.ts'
import { textOf } from '../../wire/params.ts'
import type { MethodCall, MethodDeps } from './method.ts'

export function getFile({ params }: MethodCall, { files }: MethodDeps): MethodAnswer {
  const fileId = textOf(params, 'file_id')
  const { file, path } = files.openPath(fileId)
  return {
    result: {
      file_id: fileId,
      file_unique_id: file.uniqueId,
      file_size: file.size,
      file_path: path,
    },
  }
}
