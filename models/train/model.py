"""The cross-encoder: a BERT body and a head that compares query and passage.

In: ids, mask and token types, int64 [batch, sequence], laid out as [CLS] query [SEP]
passage [SEP]. Out: one logit a pair, unbounded; higher is better. The head starts as a
late-interaction bi-encoder on the jointly encoded tokens (mean cosine and mean over
query tokens of the best cosine, as in ColBERT, Khattab and Zaharia 2020) and learns a
correction, so that training starts from a sensible order instead of from chance.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

CLS, SEP = 101, 102


class Layer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)

    def forward(self, x, bias):
        b, s, w = x.shape
        q, k, v = (f(x).view(b, s, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        if x.is_cuda:
            a = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        else:  # several times faster than the fused kernel backwards, with heads this narrow
            a = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + bias, -1) @ v
        x = self.norm1(x + self.o(a.transpose(1, 2).reshape(b, s, w)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self, layers=6, width=384, heads=12, inner=1536, vocabulary=30522, positions=512):
        super().__init__()
        self.word = nn.Embedding(vocabulary, width)
        self.position = nn.Embedding(positions, width)
        self.kind = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(Layer(width, heads, inner) for _ in range(layers))

    def forward(self, ids, mask, kinds):
        x = self.norm(self.word(ids) + self.position.weight[: ids.shape[1]] + self.kind(kinds))
        bias = ((1 - mask.to(x.dtype)) * -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias)
        return x

    def load_bert(self, state):
        """Weights under the names that Hugging Face's BERT gives them."""
        state = {k.removeprefix("bert."): v for k, v in state.items()}
        names = {"word.weight": "embeddings.word_embeddings.weight", "position.weight": "embeddings.position_embeddings.weight",
                 "kind.weight": "embeddings.token_type_embeddings.weight", "norm": "embeddings.LayerNorm"}
        for i in range(len(self.layers)):
            for ours, theirs in (("q", "attention.self.query"), ("k", "attention.self.key"), ("v", "attention.self.value"),
                                 ("o", "attention.output.dense"), ("norm1", "attention.output.LayerNorm"),
                                 ("up", "intermediate.dense"), ("down", "output.dense"), ("norm2", "output.LayerNorm")):
                names[f"layers.{i}.{ours}"] = f"encoder.layer.{i}.{theirs}"
        full = {}
        for ours, theirs in names.items():
            for part in [""] if ours.endswith(".weight") else [".weight", ".bias"]:
                full[ours + part] = state[theirs + part].float()
        self.load_state_dict(full)


class CrossEncoder(nn.Module):
    def __init__(self, **body):
        super().__init__()
        self.encoder = Encoder(**body)
        width = self.encoder.norm.weight.shape[0]
        self.mix = nn.Parameter(torch.tensor([10.0, 10.0]))
        self.bias = nn.Parameter(torch.tensor(-10.0))
        self.hidden, self.out = nn.Linear(4 * width, width), nn.Linear(width, 1)
        nn.init.normal_(self.out.weight, std=0.001)
        nn.init.zeros_(self.out.bias)

    def forward(self, input_ids, attention_mask, token_type_ids):
        h = self.encoder(input_ids, attention_mask, token_type_ids).float()
        words = attention_mask * (input_ids != CLS).long() * (input_ids != SEP).long()
        q = (words * (1 - token_type_ids)).float()
        d = (words * token_type_ids).float()
        mean_q = (h * q[..., None]).sum(1) / q.sum(1, keepdim=True).clamp(min=1)
        mean_d = (h * d[..., None]).sum(1) / d.sum(1, keepdim=True).clamp(min=1)
        n = h / h.norm(dim=-1, keepdim=True).clamp(min=1e-6)
        best = (n @ n.transpose(1, 2) + (d[:, None, :] - 1) * 2).max(-1).values.clamp(min=-1)
        late = (best * q).sum(1) / q.sum(1).clamp(min=1)
        near = (mean_q * mean_d).sum(-1) / (mean_q.norm(dim=-1) * mean_d.norm(dim=-1)).clamp(min=1e-6)
        more = self.out(torch.tanh(self.hidden(torch.cat([h[:, 0], mean_q, mean_d, mean_q * mean_d], -1))))
        return (self.mix[0] * near + self.mix[1] * late + self.bias)[:, None] + more
