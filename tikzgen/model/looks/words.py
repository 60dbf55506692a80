"""Words that tikzgen adds to a figure, in the languages that have a table: `translate_word`."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        # phases
        "idle": "空闲",
        "forward": "前向",
        "backward": "反向",
        "input gradient": "输入梯度",
        "weight gradient": "权重梯度",
        "forward/backward": "前向/反向",
        "compute": "计算",
        "fetch": "拉取",
        "push": "推送",
        "communication": "通信",
        "all-reduce": "全归约",
        "all-gather": "全收集",
        "reduce-scatter": "归约散发",
        "step": "步",
        "average": "平均",
        "update": "更新",
        "parameters": "参数",
        "gradients": "梯度",
        "optimizer states": "优化器状态",
        "activations": "激活值",
        "shared": "共享",
        # kinds of flows
        "data": "数据",
        "gradient": "梯度",
        "weight": "权重",
        "control": "控制",
        "activation": "激活值",
        "message": "消息",
        # states of nodes
        "highlighted": "突出显示",
        "failed": "故障",
        "slow": "缓慢",
        "new": "新增",
        # label of a time axis
        "time": "时间",
        # phrases of the legend
        "at the same time": "同时进行",
        "invalid": "无效",
        "shade changes every {n}": "每 {n} 个换一种深浅",
    }
}
"""English words with their translation, by the language subtag. Traditional characters (zh-Hant) have no table."""


def translate_word(word: str, language: str | None) -> str:
    """Return a word of tikzgen in the language of a figure; the English word if the language has no table."""
    subtags = (language or "").lower().split("-")
    return word if {"hant", "tw", "hk", "mo"} & {*subtags} else WORDS.get(subtags[0], {}).get(word, word)
