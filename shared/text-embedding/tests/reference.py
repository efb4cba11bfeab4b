"""Writes the numbers that the tests compare with: BERT by numpy, tokens by Hugging Face's `tokenizers`.

    python tests/reference.py FOLDER_OF_MINILM > tests/it/reference.json
"""
import json, math, struct, sys
import numpy as np
from tokenizers import Tokenizer

erf = np.vectorize(math.erf)

def norm(x, w, k):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) / np.sqrt(v + 1e-12) * w[k + '.weight'] + w[k + '.bias']

def embed(w, ids, layers, heads):
    lin = lambda x, k: x @ w[k + '.weight'].T + w[k + '.bias']
    n, e = len(ids), 'embeddings.'
    x = w[e + 'word_embeddings.weight'][ids] + w[e + 'position_embeddings.weight'][:n] + w[e + 'token_type_embeddings.weight'][0]
    x = norm(x, w, e + 'LayerNorm')
    for i in range(layers):
        b = f'encoder.layer.{i}.'
        q, k, v = [lin(x, f'{b}attention.self.{m}').reshape(n, heads, -1).transpose(1, 0, 2) for m in ('query', 'key', 'value')]
        s = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1])
        s = np.exp(s - s.max(-1, keepdims=True)); s /= s.sum(-1, keepdims=True)
        x = norm(x + lin((s @ v).transpose(1, 0, 2).reshape(n, -1), b + 'attention.output.dense'), w, b + 'attention.output.LayerNorm')
        h = lin(x, b + 'intermediate.dense'); h = 0.5 * h * (1 + erf(h / math.sqrt(2)))
        x = norm(x + lin(h, b + 'output.dense'), w, b + 'output.LayerNorm')
    v = x.mean(0)
    return v / np.linalg.norm(v)

# The toy model of tests/it/toy.rs: number k of the n-th tensor (by name) is 0.5 sin(0.7 (k + 1) + n).
def toy():
    shapes = {'embeddings.word_embeddings.weight': (12, 8), 'embeddings.position_embeddings.weight': (10, 8),
              'embeddings.token_type_embeddings.weight': (2, 8), 'embeddings.LayerNorm.weight': (8,), 'embeddings.LayerNorm.bias': (8,)}
    for i in range(2):
        b = f'encoder.layer.{i}.'
        for k, o, c in [('attention.self.query', 8, 8), ('attention.self.key', 8, 8), ('attention.self.value', 8, 8),
                        ('attention.output.dense', 8, 8), ('intermediate.dense', 16, 8), ('output.dense', 8, 16)]:
            shapes[b + k + '.weight'] = (o, c); shapes[b + k + '.bias'] = (o,)
        for k in ('attention.output.LayerNorm', 'output.LayerNorm'):
            shapes[b + k + '.weight'] = (8,); shapes[b + k + '.bias'] = (8,)
    return {k: np.array([0.5 * math.sin(0.7 * (j + 1) + n) for j in range(math.prod(s))], dtype=np.float32).astype(float).reshape(s)
            for n, (k, s) in enumerate(sorted(shapes.items()))}

folder = sys.argv[1]
raw = open(folder + '/model.safetensors', 'rb').read()
size = struct.unpack('<Q', raw[:8])[0]
w = {k: np.frombuffer(raw[8 + size + v['data_offsets'][0]:8 + size + v['data_offsets'][1]], dtype=np.float32).astype(float).reshape(v['shape'])
     for k, v in json.loads(raw[8:8 + size]).items() if k != '__metadata__' and v['dtype'] == 'F32'}
t = Tokenizer.from_file(folder + '/tokenizer.json'); t.enable_truncation(256); t.no_padding()
texts = ['A server loses power while it writes.', 'An outage of electricity', 'The cat sleeps.', '', 'TC-10042 (Kestrel 210): BIOS 2.14.1, rack r07/slot 3',
         'Überprüfung der Spannungsversorgung, naïve café', '断电测试 服务器 reboot', 'Проверка питания', '𝔘nusual ½ ﬁ ¡signs! « » … ₂ İstanbul',
         'a\u0000b\ufffdc\u200bd e\tf\u00a0g\u2028h\u000bi', 'x' * 101 + ' ' + 'y' * 100, 'watchdog reset ' * 200, 'हिन्दी ภาษาไทย 한국어 עִבְרִית', '🙂 ok', 'don\'t e-mail a@b.c <tag> $5+3=8 ^~`|']
out = []
for text in texts:
    ids = t.encode(text).ids
    one = {'text': text, 'tokens': ids}
    if len(out) in (0, 1, 2, 4, 5, 6, 11):
        one['vector'] = [round(float(x), 6) for x in embed(w, ids, 6, 12)]
    out.append(one)
tiny = [{'tokens': ids, 'vector': [round(float(x), 7) for x in embed(toy(), ids, 2, 2)]} for ids in ([1, 4, 5, 2], [1, 2], [1, 7, 8, 9, 10, 11, 6, 3, 2])]
print('{"toy": [\n' + ',\n'.join(map(json.dumps, tiny)) + '\n],\n"minilm": [\n' + ',\n'.join(map(json.dumps, out)) + '\n]}')
